export { createFunctionLibrary, type FunctionLibrary } from './library.ts'
export { functionRoutes, listFunctionNames } from './routes.ts'
