// A change in each of these places is noticed by a test that `npm run test:related` would run. They lie in all parts of the repository.
import { expect, it } from 'vitest'
import { Relations } from './relate.ts'

const relations = new Relations()
/** Whoever waits for an answer runs the first few. */
const nearest = (file: string) =>
  relations
    .relatedTo([file])
    .slice(0, 8)
    .map(({ test }) => test)

it.each([
  ['contract/src/tags.ts', 'server/test/api/tags.test.ts'],
  ['server/src/webhooks/intake/intake.ts', 'server/test/api/webhook-intake.test.ts'],
  ['server/src/vault/store.ts', 'server/test/api/vault.test.ts'],
  ['server/src/engine/time/schedule.ts', 'server/test/engine/schedule.test.ts'],
  ['server/src/runs/pause/resume.ts', 'server/test/api/pausing.test.ts'],
  ['server/src/sandbox/mask/mask.ts', 'server/test/sandbox/masking.test.ts'],
  ['server/src/outbound/guard/address.ts', 'server/test/outbound/address.test.ts'],
  ['server/src/cells/move/move-organization.ts', 'server/test/process/move-organization.test.ts'],
  ['server/src/db/migrations/0082_alarms.sql', 'server/test/api/alarms.test.ts'],
  ['server/src/db/migrations/0082_alarms.sql', 'server/test/schema.test.ts'],
  ['console/src/vault/vault-page.tsx', 'e2e/operate.test.ts'],
  ['cli/src/folders/read-folder.ts', 'cli/test/read-folder.test.ts'],
  ['catalog/applications/slack/application.yaml', 'server/test/catalog/shipped-definitions.test.ts'],
  ['deploy/compose.yaml', 'server/test/deploy.test.ts'],
])('a change of %s selects %s', (changed, test) => {
  expect(nearest(changed)).toContain(test)
})

it('a test that was changed is among those that run', () => {
  expect(nearest('server/test/api/keys.test.ts')).toEqual(['server/test/api/keys.test.ts'])
})

it('a change of what everything is made of selects the tests that call most of it', () => {
  expect(nearest('server/src/app.ts').length).toBeGreaterThan(0)
})

it('several changes select the tests of each', () => {
  const tests = relations
    .relatedTo(['server/src/tags/service.ts', 'server/src/engine/run/backoff.ts'])
    .map(({ test }) => test)
  expect(tests).toEqual(expect.arrayContaining(['server/test/api/tags.test.ts', 'server/test/engine/backoff.test.ts']))
})

it('a page of the console does not select tests of the service that happen to be called the same', () => {
  expect(nearest('console/src/keys/keys-page.tsx')).not.toContain('server/test/api/keys.test.ts')
})
