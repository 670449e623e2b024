export { createFunctionLibrary, type FunctionLibrary } from './library.ts'
export { functionRoutes } from './routes.ts'
