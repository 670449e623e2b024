export { Indexer } from './indexing/indexer.ts'
export { searchRoutes } from './routes.ts'
export { insertFeed } from './store.ts'
