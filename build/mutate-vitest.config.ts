// The tests of the engine alone: they need no service, so thousands of mutants can be tried.
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['server/test/engine/**/*.test.ts'], testTimeout: 30_000 } })
