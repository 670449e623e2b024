export { tagRoutes } from './routes.ts'
export { addTag, type Taggable } from './service.ts'
export { listTags } from './store.ts'
