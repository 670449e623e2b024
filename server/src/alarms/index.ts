export { insertChecks } from './check-store.ts'
export { AlarmKeeper } from './keeper.ts'
export { alarmRoutes } from './routes.ts'
