// The tests of one part of the engine alone: they need no service, so thousands of changes can be tried.
import { defineConfig } from 'vitest/config'

const tests = (process.env['MUTATE_TESTS'] ?? '*').split(',')

export default defineConfig({
  test: { include: tests.map((name) => `server/test/engine/${name}.test.ts`), testTimeout: 30_000 },
})
