import type { HandlersOf } from '../http/index.ts'
import { addTag, removeTag, type TagDeps } from './service.ts'

export function tagRoutes(deps: TagDeps): HandlersOf<'AttributeTagAdd' | 'AttributeTagDelete'> {
  return {
    AttributeTagAdd: ({ principal, params, body }) => addTag(deps, principal, { ...params, ...body }),
    AttributeTagDelete: ({ principal, params, body }) => removeTag(deps, principal, { ...params, ...body }),
  }
}
