export { scheduleRoutes } from './routes.ts'
export { Scheduler } from './scheduler.ts'
