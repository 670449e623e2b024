import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'contract/test/**/*.test.ts',
      'sdk/test/**/*.test.ts',
      'mcp/test/**/*.test.ts',
      'cli/test/**/*.test.ts',
      'build/*.test.ts',
      'server/test/**/*.test.ts',
      'e2e/**/*.test.ts',
    ],
    globalSetup: ['server/test/harness/global-setup.ts'],
    // Two cores are the machine we design for: one test file works while another waits for its service.
    maxWorkers: 2,
    // On a shared CI machine a test may once be starved of time; a fault fails twice. At home every failure shows at once.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
