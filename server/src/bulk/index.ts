export type { BulkVerbs } from './bulk-action.ts'
export { bulkRoutes } from './routes.ts'
