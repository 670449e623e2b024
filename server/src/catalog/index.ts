export { pinEarlierTemplates } from './change/pin-earlier.ts'
export {
  expandAddress,
  expandHostPattern,
  expandRequestPath,
  expandText,
  fieldsIn,
  matchesHost,
  type TemplateValues,
} from './format/address-template.ts'
export type {
  Application as ApplicationDefinition,
  Authentication,
  BlockTemplate,
  CredentialField,
  LibraryFunction,
  Variable,
  WorkflowTemplate,
} from './format/definition.ts'
export { loadCatalog } from './format/load.ts'
export type { CatalogUses, WithdrawCredentials } from './ports.ts'
export { catalogTaggables } from './read/taggable.ts'
export { answerTestRequest } from './read/test-application.ts'
export { catalogRoutes } from './routes.ts'
export { Catalog } from './shelves/catalog.ts'
