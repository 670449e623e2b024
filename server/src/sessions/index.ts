export { createLink } from './link.ts'
export { sessionPages } from './pages.ts'
export { sessionRoutes } from './routes.ts'
export { authenticateSession } from './service.ts'
