export { tagRoutes } from './routes.ts'
export type { Taggable } from './service.ts'
