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
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
