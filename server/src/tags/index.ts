export { tagRoutes } from './routes.ts'
export type { Taggable } from './service.ts'
export { listTags } from './store.ts'
