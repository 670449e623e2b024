// Who would miss an item of the organization if it were gone: instances and workflows of its accounts, and others of its items.
import type { Queryable } from '../../db/index.ts'
import type { Application } from '../format/definition.ts'
import type { CatalogUses, Use } from '../ports.ts'
import type { Shelf } from '../shelves/shelf.ts'
import type { Item, ItemKind } from '../shelves/store.ts'

/** Items are the organization's, so that everybody who may delete one sees them. */
export type Users = { what: string; uses: readonly (Use | { id: string })[] }

type Asked = { uses: CatalogUses; db: Queryable; organizationId: string; hosted: Shelf }

export async function listUsers(asked: Asked, kind: ItemKind, item: Item): Promise<Users[]> {
  const { uses, db, organizationId, hosted } = asked
  if (kind === 'application') return listUsersOfApplication(asked, item as Application)
  if (kind === 'function') return listCallers(asked, item)
  if (kind === 'workflowTemplate') {
    return [{ what: 'workflows', uses: await uses.workflows(db, organizationId, { workflowTemplateId: item.id }) }]
  }
  const holds = ({ chain }: { chain: { blockTemplateId?: string }[] }) =>
    chain.some(({ blockTemplateId }) => blockTemplateId === item.id)
  return [
    { what: 'workflows', uses: await uses.workflows(db, organizationId, { blockTemplateId: item.id }) },
    { what: 'workflow templates', uses: workflowTemplatesIn(hosted).filter(holds) },
  ]
}

async function listUsersOfApplication({ uses, db, organizationId, hosted }: Asked, { id, shortName }: Application) {
  const isIt = (name: string | undefined) => name?.toLowerCase() === shortName.toLowerCase()
  const [instances, workflows] = await Promise.all([
    uses.registeredApplications(db, organizationId, id),
    uses.workflows(db, organizationId, { applicationShortName: shortName }),
  ])
  return [
    { what: 'registered applications', uses: instances },
    { what: 'workflows', uses: workflows },
    { what: 'block templates', uses: blockTemplatesIn(hosted).filter(({ application }) => isIt(application)) },
    {
      what: 'workflow templates',
      uses: workflowTemplatesIn(hosted).filter(({ applications }) => applications.some(isIt)),
    },
  ]
}

/** A script calls a function as `fx.name` or `fx['name']`; what it puts together at run time nobody can know. */
async function listCallers({ uses, db, organizationId, hosted }: Asked, { id, name }: Item): Promise<Users[]> {
  // A name may hold a dollar sign.
  const named = RegExp.escape(name)
  const call = new RegExp(`\\bfx\\s*(\\?\\.)?\\s*(\\.?\\s*${named}(?![\\w$])|\\[\\s*(['"\`])${named}\\3)`)
  const isCalled = (script: string | undefined) => script !== undefined && call.test(script)
  const isInChain = ({ chain }: { chain: { script?: string }[] }) => chain.some(({ script }) => isCalled(script))
  return [
    { what: 'workflows', uses: await uses.workflowsCalling(db, organizationId, name, isCalled) },
    { what: 'block templates', uses: blockTemplatesIn(hosted).filter(({ script }) => isCalled(script)) },
    { what: 'workflow templates', uses: workflowTemplatesIn(hosted).filter(isInChain) },
    {
      what: 'functions',
      uses: hosted.items.functions.filter((other) => other.id !== id && isCalled(other.script)),
    },
  ]
}

const blockTemplatesIn = ({ items }: Shelf) => [...items.blockTemplates, ...items.blockDrafts]
const workflowTemplatesIn = ({ items }: Shelf) => [...items.workflowTemplates, ...items.workflowDrafts]
