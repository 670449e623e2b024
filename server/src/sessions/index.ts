export { createLink } from './link.ts'
export { sessionPages } from './pages.ts'
export { sessionRoutes } from './routes.ts'
export { authenticateSession, currentSession } from './service.ts'
