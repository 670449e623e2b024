import { listSizeMax, readPage } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { listTags } from '../../tags/index.ts'
import type { Application } from '../format/definition.ts'
import type { ReadDeps } from './read-templates.ts'
import { toApplicationItem, toFoundApplication } from './to-api-items.ts'

type Search = { page?: number; size?: number; searchTerm?: string; includeLogo?: boolean }

// Applications do not change while they are remembered, so what is searched in them is put in lower case once.
const searchTexts = new WeakMap<Application, string>()

export async function listApplications(deps: ReadDeps, principal: Principal) {
  const shown = (await deps.catalog.listApplications(principal.account.organizationId)).slice(0, listSizeMax)
  const tags = await tagsOf(deps, principal, shown)
  return shown.map((application) => toApplicationItem(application, tags.get(application.id) ?? []))
}

export async function searchApplications(deps: ReadDeps, principal: Principal, search: Search) {
  const { page, size } = readPage(search)
  const { includeLogo = false } = search
  const wanted = search.searchTerm?.toLowerCase() ?? ''
  const all = await deps.catalog.listApplications(principal.account.organizationId)
  const found = wanted === '' ? all : all.filter((application) => searchText(application).includes(wanted))
  const shown = found.slice(page * size, (page + 1) * size)
  const tags = await tagsOf(deps, principal, shown)
  const toItem = (application: Application) =>
    toFoundApplication(application, includeLogo, tags.get(application.id) ?? [])
  return { applications: shown.map(toItem), total: found.length }
}

function tagsOf({ database }: ReadDeps, principal: Principal, shown: readonly Application[]) {
  const ids = shown.map(({ id }) => id)
  return listTags(database.forScope(scopeOf(principal)), principal.account.organizationId, 'application', ids)
}

function searchText(application: Application): string {
  let text = searchTexts.get(application)
  if (text === undefined) {
    // The line end between them keeps a search from matching across the two.
    text = `${application.name}\n${application.description}`.toLowerCase()
    searchTexts.set(application, text)
  }
  return text
}
