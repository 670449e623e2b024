import type { HandlersOf } from '../http/index.ts'
import { actOnUpgrade } from './act.ts'
import { getUpgrade, listUpgrades } from './get.ts'
import { previewUpgrade } from './plan/preview.ts'
import { startUpgrade } from './plan/start.ts'
import type { UpgradeDeps } from './ports.ts'

type Names =
  | 'TemplateUpgradePreview'
  | 'TemplateUpgrade'
  | 'GetTemplateUpgrade'
  | 'TemplateUpgradeAction'
  | 'TemplateUpgrades'

export function upgradeRoutes(deps: UpgradeDeps): HandlersOf<Names> {
  return {
    TemplateUpgradePreview: ({ principal, body }) => previewUpgrade(deps, principal, body),
    TemplateUpgrade: async ({ principal, body }) => ({ upgradeId: await startUpgrade(deps, principal, body) }),
    GetTemplateUpgrade: ({ principal, params }) => getUpgrade(deps, principal, params.id),
    TemplateUpgradeAction: async ({ principal, params, body }) => {
      await actOnUpgrade(deps, principal, params.id, body.action)
      return undefined
    },
    TemplateUpgrades: ({ principal, body }) => listUpgrades(deps, principal, body),
  }
}
