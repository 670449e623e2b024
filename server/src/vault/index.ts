export { vaultRoutes } from './routes.ts'
export { createVault, type Vault } from './vault.ts'
