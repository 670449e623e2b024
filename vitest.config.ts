import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './build/tests/longest-first.ts'
import { ProgressReporter } from './build/tests/progress-reporter.ts'
import { listTests, type Project, projectOf } from './build/tests/projects.ts'
import { programEnvironment } from './server/test/harness/program.ts'

// Test processes load the same sources again and again: what one has compiled serves all others.
process.env['NODE_COMPILE_CACHE'] ??= programEnvironment.NODE_COMPILE_CACHE

const tests = Map.groupBy(listTests(), projectOf)

function project(name: Project, more: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: tests.get(name) ?? [], ...more } }
}

/** In seconds, see server/test/harness/patience.ts. */
const provingTimeout = { PATCHBAY_PROJECT_TIMEOUT: '300' }

/** One PostgreSQL for the run. */
const globalSetup = ['server/test/harness/global-setup.ts']

export default defineConfig({
  test: {
    projects: [
      // Nothing is set up for these, and they share a few processes: loading the sources again for each would take longer than their tests.
      project('unit', { isolate: false }),
      project('api', { isolate: false, globalSetup }),
      project('browser', { globalSetup }),
      project('proof', { globalSetup, env: provingTimeout }),
      project('proof-alone', { globalSetup, env: provingTimeout, maxWorkers: 1, sequence: { groupOrder: 1 } }),
    ],
    sequence: { sequencer: LongestFirst },
    reporters: [new ProgressReporter()],
    // Node.js loads the sources as it does for `npm start`: no module is replaced here, so nothing has to come between.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Two cores are the machine we design for: two test files work while others wait for their services. Three leave the cores idle for a
    // third of the time.
    maxWorkers: 4,
    setupFiles: ['server/test/harness/tell-waiting.ts'],
    // Tests give up by themselves, earlier and with a reason (patience.ts). These end what hangs elsewhere, on a machine however slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
})
