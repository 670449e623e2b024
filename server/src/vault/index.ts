export { checkEntry, type VaultPlace } from './entry.ts'
export { vaultRoutes } from './routes.ts'
export { createVault, type Vault } from './vault.ts'
