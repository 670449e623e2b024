export { type DiskSpace, floorOf, readDiskSpace } from './disk-space.ts'
export { StorageLedger } from './ledger.ts'
export { storedSizes } from './store.ts'
