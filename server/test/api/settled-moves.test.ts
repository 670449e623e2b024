import { expect, it } from 'vitest'
import { SettledMoves } from '../../src/cells/index.ts'
import { Database } from '../../src/db/index.ts'
import { startService } from '../harness/service.ts'

it('notes of moves that were settled a minute ago go, with their addresses; others stay', async () => {
  await using service = await startService()
  await service.asOwner(`
    insert into organization_moves (organization_id, move_id, state, to_cell, erased_at, settled_at)
    select gen_random_uuid(), gen_random_uuid(), 'Held', to_cell, erased_at, settled_at from (values
      ('under way', null::timestamptz, null::timestamptz),
      ('moved', now() - interval '1 day', null),
      ('settled now', now(), now()),
      ('settled long ago', now() - interval '1 day', now() - interval '61 seconds')) as v (to_cell, erased_at, settled_at)`)
  await service.asOwner(
    `insert into moved_addresses (address, organization_id) select 'key:' || to_cell, organization_id from organization_moves`,
  )
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  await using settled = new SettledMoves(database, (error) => {
    throw error
  })
  await settled.sweep()
  const left = await service.asOwner(
    'select to_cell, address from organization_moves left join moved_addresses using (organization_id) order by to_cell',
  )
  expect(left).toEqual(['moved', 'settled now', 'under way'].map((name) => ({ to_cell: name, address: `key:${name}` })))
})
