export { rateLimiter } from './admission/rate-limit.ts'
export { Slots } from './admission/slots.ts'
export { addFixedDocument } from './answer/fixed-answer.ts'
export { type Authenticators, type Credential, identify, sessionCookie } from './caller/authenticate.ts'
export { refuseForeignOrigin } from './caller/foreign-origin.ts'
export type { FormPart, MultipartBody } from './form/multipart.ts'
export {
  type Call,
  type Exchange,
  type Handlers,
  type HandlersOf,
  LiveAnswer,
  type Page,
  PlainText,
  TextFile,
} from './handler.ts'
export { openApiDocument } from './openapi/document.ts'
export { ConsoleFiles } from './pages/console-files.ts'
export { addConsole } from './pages/console-routes.ts'
export { html, page } from './pages/html.ts'
export { referencePage } from './reference/page.ts'
export { addFetchRoute } from './routes/fetch-route.ts'
export { addHealth, addMetricsForLoopback, startMetricsServer } from './routes/health.ts'
export { introspectionRoutes } from './routes/introspect.ts'
export type { RawAnswer, RawHead, RawReader, RawRoute } from './routes/raw-route.ts'
export { validator } from './schema/validation.ts'
export { createHttpServer } from './server.ts'
