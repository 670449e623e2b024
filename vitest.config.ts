import { defineConfig } from 'vitest/config'
import { programEnvironment } from './server/test/harness/program.ts'

// Test processes load the same sources again and again: what one has compiled serves all others.
process.env['NODE_COMPILE_CACHE'] ??= programEnvironment.NODE_COMPILE_CACHE

/**
 * Test files that only talk to a service of their own share a few processes: loading the program again for each of them would
 * cost more than most of their tests.
 */
const sharing = [
  'server/test/*.test.ts',
  'server/test/{activity,api,catalog,engine,lib,outbound,proxy,runs,search,shares-cipher,vault,webhooks-verify}/**/*.test.ts',
]

/** These compare times, so nothing else runs meanwhile. */
const measuring = ['server/test/security/{attacks,event-loop,large-bodies}.test.ts']

/** All others have a process for themselves: they kill processes, fill memory, or drive programs and browsers. */
const alone = ['{cli,mcp,sdk}/test/**/*.test.ts', 'build/*.test.ts', 'server/test/**/*.test.ts', 'e2e/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: alone, exclude: ['**/node_modules/**', ...sharing, ...measuring] },
      },
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
      {
        extends: true,
        test: { name: 'measuring', include: measuring, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    globalSetup: ['server/test/harness/global-setup.ts'],
    // Node.js loads the sources as it does for `npm start`: no module is replaced here, so nothing has to come between.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Two cores are the machine we design for: two test files work while others wait for their services. Three leave the cores idle for a
    // third of the time.
    maxWorkers: 4,
    // These only end what hangs: a machine that does other things too must not fail a test that would pass.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
})
