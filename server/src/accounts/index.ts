export { createFirstAccount, createOrganization } from './first-account.ts'
export { accountRoutes } from './routes.ts'
export { accountTaggables } from './taggable.ts'
export { unlockAccount } from './unlock.ts'
