export { type FileStore, MissingFileError } from './file-store.ts'
export { type FileStores, openStores, type StorageSettings } from './open-stores.ts'
