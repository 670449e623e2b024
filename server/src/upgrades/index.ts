export type { UpgradeDeps } from './ports.ts'
export { upgradeRoutes } from './routes.ts'
export { upgradeQueue } from './turn.ts'
export { UpgradeWorker } from './upgrade-worker.ts'
