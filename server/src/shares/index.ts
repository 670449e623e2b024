export { ShareCleanUp } from './clean-up.ts'
export { sharePages } from './pages.ts'
export { shareRoutes } from './routes.ts'
