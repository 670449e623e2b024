export { reflectFault } from './reflect-fault.ts'
export { scheduleRoutes } from './routes.ts'
export { Scheduler } from './scheduler.ts'
