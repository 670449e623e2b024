export { eventRetries, startDelivering } from './deliver.ts'
export { eventPublisher, eventQueue } from './publish.ts'
export { eventRoutes } from './routes.ts'
export { tellFailures } from './tell-failures.ts'
