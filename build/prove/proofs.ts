/** What is proven, in the order of docs/proofs.md. CONTRIBUTING.md lists the sizes of those that have one. */
export type Proof = {
  name: string
  what: string
  files: readonly string[]
  /** It compares times, so nothing else runs meanwhile. */
  isMeasured?: true
}

const race = (name: string) => `server/test/race/${name}.test.ts`
const security = (name: string) => `server/test/security/${name}.test.ts`

export const proofs: readonly Proof[] = [
  {
    name: 'attacks',
    what: 'Honest accounts while strangers and neighbours attack',
    files: [security('attacks')],
    isMeasured: true,
  },
  {
    name: 'hostile',
    what: 'Hostile scripts, each run many times',
    files: ['server/test/sandbox/escapes.test.ts', 'server/test/sandbox/crashers.test.ts'],
  },
  { name: 'upload', what: 'Upload with flat memory', files: [security('upload')] },
  { name: 'slots', what: 'Clients that leave at random moments hold nothing', files: [security('slots')] },
  { name: 'fuzz', what: 'Random requests from the OpenAPI document', files: [security('fuzz')] },
  { name: 'rotation', what: 'Master key replaced under load and kills', files: [race('rotate-master-key')] },
  { name: 'order', what: 'Webhooks in order over three workers, under kills', files: [race('webhook-order')] },
  { name: 'kills', what: 'Runs and schedules under kill -9 of everything', files: [race('kill')] },
  { name: 'once', what: 'Effects of any size, counted where they arrive', files: [race('once')] },
  { name: 'children', what: 'Runs that start runs of other workflows, under kills', files: [race('children')] },
  { name: 'items', what: 'Items of a long list under kills of workers and script processes', files: [race('items')] },
  { name: 'recovery', what: 'Runs whose worker dies, hangs or is stopped', files: [race('recovery')] },
  { name: 'writes', what: 'Repeated and concurrent writes', files: [race('repeated-writes'), race('vault')] },
  { name: 'races', what: 'Pairs of operations at the same moment', files: [race('race-matrix')] },
  { name: 'upgrade', what: 'Template upgrade under kills while customers edit', files: [race('template-upgrade')] },
  { name: 'replay', what: 'Recorded runs, replayed', files: [race('replay')] },
  {
    name: 'faults',
    what: 'Database silent, away, read-only, upgraded',
    files: [
      race('database-faults'),
      ...['silent-database', 'failover', 'odd-databases', 'rolling-upgrade'].map(
        (name) => `server/test/process/${name}.test.ts`,
      ),
    ],
  },
  {
    name: 'cells',
    what: 'Organization moved between cells',
    files: [race('cells'), race('move-organization')],
    isMeasured: true,
  },
  { name: 'leader', what: 'Leader of a replicated database killed under load', files: [race('high-availability')] },
]
