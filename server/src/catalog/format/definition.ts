/**
 * The formats of the catalogue's files. Every object is closed, so that a misspelt key is an error with a line number and
 * never a setting that is accepted and ignored.
 *
 * Text with `{field}` in it is a template over the credential fields of the application. Inside `apply` and `session`
 * two more names exist: `{$token}` is the token that was obtained, `{$expiresOn}` the UTC date (YYYY-MM-DD) on which a
 * session that starts now ends.
 */
import { blocksMax, ForEach, namePattern, Retry, SubWorkflow, Wait } from '@patchbay/contract'
import { type Static, Type } from 'typebox'
import type { VariableBinding } from '../../engine/chain/chain.ts'
import { type VariableType, variableTypes } from '../../engine/variables/variable-values.ts'

const closed = { additionalProperties: false } as const

const Guid = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'a GUID in lower case',
})
const ShortName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$', description: 'letters, digits, _ and -' })
const VariableName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$', description: 'letters, digits and _' })
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: namePattern,
  description: 'a single line of text without control characters',
})
const Description = Type.String({ maxLength: 4000 })
const Template = Type.String({ maxLength: 2000 })
const Templates = Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Template)
const FileName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: 'a file name without folders',
})

const Option = Type.Object({ value: Type.String(), displayName: Type.String() }, closed)

const credentialFieldTypes = ['text', 'password', 'select', 'url', 'number', 'boolean'] as const
export const CredentialField = Type.Object(
  {
    ShortName: VariableName,
    DisplayName: Name,
    Type: Type.Enum([...credentialFieldTypes]),
    Required: Type.Boolean(),
    Options: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 200 })),
    Description: Type.Optional(Description),
    /** The value that stands for an optional field left empty. */
    Default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  },
  closed,
)

const Basic = Type.Object({ type: Type.Literal('basic'), username: Template, password: Template }, closed)
const ApiKey = Type.Object(
  { type: Type.Literal('apiKey'), in: Type.Enum(['header', 'query']), name: Template, value: Template },
  closed,
)
const Bearer = Type.Object({ type: Type.Literal('bearer'), token: Template }, closed)

/** How a token that was obtained is put on a request; `Authorization: Bearer {$token}` when nothing is said. */
const Apply = Type.Union([Basic, ApiKey, Bearer])

const oauthClient = {
  tokenUrl: Template,
  scopes: Type.Array(Template, { maxItems: 100 }),
  clientId: Template,
  clientSecret: Type.Optional(Template),
  /** Where the token endpoint expects the client's secret: an Authorization header or the form. */
  clientAuthentication: Type.Optional(Type.Enum(['basic', 'post'])),
  tokenParameters: Type.Optional(Templates),
  apply: Type.Optional(Apply),
}

const SimpleAuthentication = Type.Union([
  Type.Object({ type: Type.Literal('none') }, closed),
  Basic,
  ApiKey,
  Bearer,
  Type.Object(
    {
      type: Type.Literal('oauth2AuthorizationCode'),
      authorizationUrl: Template,
      ...oauthClient,
      /** Absent means true: S256 is sent, and servers that do not know it ignore it. */
      pkce: Type.Optional(Type.Boolean()),
      authorizationParameters: Type.Optional(Templates),
    },
    closed,
  ),
  Type.Object({ type: Type.Literal('oauth2ClientCredentials'), ...oauthClient }, closed),
  /** One request exchanges the stored credentials for a token that ends after `lifetimeSeconds`. */
  Type.Object(
    {
      type: Type.Literal('session'),
      request: Type.Object(
        {
          method: Type.Enum(['GET', 'POST', 'PUT']),
          url: Template,
          query: Type.Optional(Templates),
          headers: Type.Optional(Templates),
          body: Type.Optional(Templates),
        },
        closed,
      ),
      /** Dotted path of the token in the JSON answer; empty when the answer itself is the token. */
      tokenPath: Type.String({ maxLength: 200 }),
      lifetimeSeconds: Type.Integer({ minimum: 60, maximum: 31_536_000 }),
      apply: Apply,
    },
    closed,
  ),
])

/** One service may be reached in several ways: the value of a select field then chooses. */
const ChosenAuthentication = Type.Object(
  {
    type: Type.Literal('byField'),
    field: VariableName,
    choices: Type.Record(Type.String({ minLength: 1 }), SimpleAuthentication),
  },
  closed,
)
export const Authentication = Type.Union([...SimpleAuthentication.anyOf, ChosenAuthentication])

/**
 * A host that calls may name: `api.example.com`, `*.example.com` (any depth below it), `host:port`, or a template.
 * A `{field}` of type url stands for that address's host and port. With `sendCredentials: false` the host may be
 * called but never sees the credentials, as for upload addresses that carry their own permission.
 */
const AllowedHost = Type.Union([
  Type.String({ minLength: 1, maxLength: 300 }),
  Type.Object({ host: Type.String({ minLength: 1, maxLength: 300 }), sendCredentials: Type.Boolean() }, closed),
])

export const ApplicationFile = Type.Object(
  {
    id: Guid,
    shortName: ShortName,
    name: Name,
    tag: Name,
    description: Description,
    logo: Type.Optional(FileName),
    /** `http` calls `baseUrl`; `test` and `smtp` are answered by the service itself and have none. */
    transport: Type.Optional(Type.Enum(['http', 'test', 'smtp'])),
    baseUrl: Type.Optional(Template),
    allowedHosts: Type.Optional(Type.Array(AllowedHost, { maxItems: 50 })),
    authentication: Authentication,
    /** Sent with every request, under whatever the caller gives. */
    headers: Type.Optional(Templates),
    /** Credentials beside the authentication that travel in the query. */
    query: Type.Optional(Templates),
    credentialFields: Type.Array(CredentialField, { maxItems: 50 }),
    testRequest: Type.Optional(
      Type.Object(
        { method: Type.Enum(['GET', 'POST', 'HEAD']), path: Template, body: Type.Optional(Type.Unknown()) },
        closed,
      ),
    ),
    rateLimit: Type.Optional(
      Type.Object(
        { requests: Type.Integer({ minimum: 1 }), perSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }) },
        closed,
      ),
    ),
  },
  closed,
)

export const Variable = Type.Object(
  {
    shortName: VariableName,
    displayName: Name,
    type: Type.Enum(Object.keys(variableTypes) as VariableType[]),
    required: Type.Boolean(),
    description: Type.Optional(Description),
    default: Type.Optional(Type.Unknown()),
    options: Type.Optional(Type.Array(Option, { minItems: 1, maxItems: 500 })),
  },
  closed,
)

const state = Type.Enum(['Published', 'Draft'])
const version = Type.Union([Type.String({ minLength: 1, maxLength: 40 }), Type.Null()])

export const BlockTemplateFile = Type.Object(
  {
    id: Guid,
    name: Name,
    description: Description,
    version,
    state,
    application: Type.Optional(ShortName),
    script: FileName,
    variables: Type.Array(Variable, { maxItems: 200 }),
    exampleResult: Type.Optional(Type.Unknown()),
  },
  closed,
)

const Binding = Type.Unsafe<VariableBinding>(
  Type.Union([
    Type.Object({ variableSource: Type.Literal('Value'), value: Type.Unknown() }, closed),
    Type.Object({ variableSource: Type.Literal('Workflow'), variableName: VariableName }, closed),
  ]),
)

const Expression = Type.String({ minLength: 1, maxLength: 2000, description: 'a JavaScript expression' })

export const ChainElement = Type.Object(
  {
    uniqueBlockId: Guid,
    blockName: Name,
    blockTemplateId: Type.Optional(Guid),
    script: Type.Optional(Type.String({ minLength: 1, maxLength: 200_000 })),
    dataSources: Type.Optional(Type.Array(Guid, { maxItems: 100 })),
    variables: Type.Optional(Type.Record(VariableName, Binding)),
    runWhen: Type.Optional(Expression),
    needs: Type.Optional(Type.Enum(['all', 'any', 'failed'])),
    forEach: Type.Optional(ForEach),
    subWorkflow: Type.Optional(SubWorkflow),
    wait: Type.Optional(Wait),
    retry: Type.Optional(Retry),
    onError: Type.Optional(Type.Enum(['stop', 'continue'])),
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 900 })),
  },
  closed,
)

export const WorkflowTemplateFile = Type.Object(
  {
    id: Guid,
    name: Name,
    description: Description,
    version,
    state,
    applications: Type.Array(ShortName, { maxItems: 50 }),
    variables: Type.Array(Variable, { maxItems: 200 }),
    chain: Type.Array(ChainElement, { minItems: 1, maxItems: blocksMax }),
  },
  closed,
)

/** The head of a function's file, between the two rules of its first comment; below it stands the function's body. */
export const FunctionHead = Type.Object(
  {
    id: Guid,
    name: VariableName,
    description: Description,
    category: Name,
    package: Name,
    isAsync: Type.Boolean(),
    arguments: Type.Record(
      VariableName,
      Type.Object(
        { type: Name, description: Type.Optional(Description), optional: Type.Optional(Type.Boolean()) },
        closed,
      ),
    ),
    examples: Type.Array(Type.Object({ call: Type.String({ minLength: 1 }), result: Type.Unknown() }, closed)),
  },
  closed,
)

export type CredentialField = Static<typeof CredentialField>
export type Authentication = Static<typeof Authentication>
export type Variable = Static<typeof Variable>
export type ChainElement = Static<typeof ChainElement>
export type ApplicationFile = Static<typeof ApplicationFile>
export type BlockTemplateFile = Static<typeof BlockTemplateFile>
export type WorkflowTemplateFile = Static<typeof WorkflowTemplateFile>
export type FunctionHead = Static<typeof FunctionHead>

export type Logo = { mediaType: 'image/svg+xml' | 'image/png'; base64: string }
/** `file` is where the item was read, for messages; it is no part of the item itself. */
export type Application = ApplicationFile & {
  logoImage: Logo | null
  file: string
  /** How often the place its credentials go to has changed; absent means never. Credentials from before the last change are not used. */
  credentialEpoch?: number
}
export type BlockTemplate = Omit<BlockTemplateFile, 'script'> & { script: string; file: string }
/** `pinned` are the block templates that a published version stands on, as they were when it was published; a draft has none. */
export type WorkflowTemplate = WorkflowTemplateFile & { file: string; pinned?: BlockTemplate[] }
export type LibraryFunction = FunctionHead & { script: string; file: string }

/** `content` is text; a binary logo comes as base64 and says so. */
export type CatalogFile = { path: string; content: string; encoding?: 'utf8' | 'base64' }
export type Problem = { file: string; line: number; column?: number; message: string }
export type Catalog = {
  applications: Application[]
  blockTemplates: BlockTemplate[]
  workflowTemplates: WorkflowTemplate[]
  functions: LibraryFunction[]
  problems: Problem[]
}
