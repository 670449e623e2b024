import { enableWebhook, sendRaw } from '../../harness/webhooks.ts'
import { deployWorkflow } from '../../harness/workflows.ts'
import { type Refusal, refusal, type Surroundings } from './refusal.ts'

export function refusalsOfWebhooks(at: Surroundings): Refusal[] {
  const deployed = async () => (await deployWorkflow(at.manager, ['return 1'])).id
  const enable = async (settings: object) => at.manager.post(`/api/WebhookSettingsEnable/${await deployed()}`, settings)
  const hookOf = async (settings: Record<string, unknown> = {}) => enableWebhook(at.manager, await deployed(), settings)

  return [
    refusal('WebhookSettingsEnable', 'invalid_request', 'must contain IP addresses or CIDR ranges; "nowhere" is', () =>
      enable({ ipRestriction: ['nowhere'] }),
    ),
    refusal('WebhookSettingsEnable', 'invalid_request', 'The field secret must not contain control characters.', () =>
      enable({ secret: `${'s'.repeat(40)}\n` }),
    ),
    refusal('WebhookSettingsEnable', 'invalid_request', 'The field orderKey must not contain a NUL character.', () =>
      enable({ orderKey: 'order\0id' }),
    ),
    refusal('WebhookSettingsEnable', 'invalid_request', 'The field skipScript must not contain a NUL character.', () =>
      enable({ skipScript: 'return "\0"' }),
    ),
    refusal(
      'a webhook',
      'webhook_address_not_allowed',
      'are not allowed by the ipRestriction of this webhook.',
      async () => (await hookOf({ ipRestriction: ['10.0.0.0/8'] })).send({}),
    ),
    refusal('a webhook', 'method_not_allowed', 'Send requests with POST, PUT or PATCH.', async () =>
      sendRaw((await hookOf()).url, undefined, {}, 'GET'),
    ),
  ]
}
