export { explainDenial } from './explain-denial.ts'
export { documentLibraryRoutes } from './routes.ts'
