export { type DataKey, type Place, SealError, seal } from './envelope.ts'
export { insertDataKey, KeyRing } from './key-ring.ts'
export { loadMasterKey, MasterKeyError } from './master-key.ts'
