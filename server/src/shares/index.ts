export { ShareKeeper } from './keeper.ts'
export { sharePages } from './pages.ts'
export { shareRoutes } from './routes.ts'
export { openStorage } from './storage.ts'
