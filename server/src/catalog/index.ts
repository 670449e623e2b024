export {
  expandAddress,
  expandHostPattern,
  expandRequestPath,
  expandText,
  fieldsIn,
  matchesHost,
  type TemplateValues,
} from './address-template.ts'
export type {
  Application as ApplicationDefinition,
  Authentication,
  BlockTemplate,
  CredentialField,
  LibraryFunction,
  Variable,
  WorkflowTemplate,
} from './definition.ts'
export type { CatalogUses } from './ports.ts'
export { catalogRoutes } from './routes.ts'
export { Catalog } from './service.ts'
export { catalogTaggables } from './taggable.ts'
export { answerTestRequest } from './test-application.ts'
