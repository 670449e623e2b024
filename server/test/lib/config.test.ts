import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

function messageOf(env: Record<string, string>): string {
  try {
    readConfig(env, 'all')
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('a setting that does not fit', () => {
  it.each([
    [{ PATCHBAY_PROT: '80' }, /PATCHBAY_PROT is not a setting/],
    [{ PATCHBAY_PORT: 'eighty' }, /PATCHBAY_PORT must be a whole number/],
    [{ PATCHBAY_PORT: '70000' }, /PATCHBAY_PORT/],
    [{ PATCHBAY_BASE_URL: 'ftp://x' }, /PATCHBAY_BASE_URL/],
    [{ PATCHBAY_DATABASE_URL: 'mysql://u:geheim@x/y' }, /PATCHBAY_DATABASE_URL/],
    [
      { PATCHBAY_DATABASE_URL: 'postgres://u:geheim@x/y?sslrootcert=/none.crt' },
      /PATCHBAY_DATABASE_URL names a file that cannot be read: sslrootcert=\/none\.crt/,
    ],
    [{ PATCHBAY_MASTER_KEY: 'short' }, /PATCHBAY_MASTER_KEY must be 32 bytes/],
    [{ PATCHBAY_MASTER_KEY: Buffer.alloc(32).toString('base64'), PATCHBAY_MASTER_KEY_FILE: '/x' }, /both set/],
    [{ PATCHBAY_TRUSTED_PROXIES: '10.0.0.0/8,everyone' }, /"everyone" is neither/],
    [{ PATCHBAY_LOG_LEVEL: 'loud' }, /PATCHBAY_LOG_LEVEL/],
    [{ PATCHBAY_SANDBOX: 'loose' }, /PATCHBAY_SANDBOX must be one of available, strict; it is "loose"/],
    [{ PATCHBAY_RUN_TIMEOUT_SECONDS: '0' }, /PATCHBAY_RUN_TIMEOUT_SECONDS/],
    [{ PATCHBAY_EGRESS_ALLOW: '10.0.0.0/99' }, /10\.0\.0\.0\/99/],
  ])('%j is refused in one sentence', (env, words) => {
    const message = messageOf(env)
    expect(message).toMatch(words)
    expect(message).not.toContain('geheim')
    expect(message).not.toContain('\n')
  })
})

describe('settings', () => {
  it('that are empty count as not set', () => {
    const unset = { ...readConfig({}, 'all') }
    expect({ ...readConfig({ PATCHBAY_PORT: '', PATCHBAY_LOG_LEVEL: ' ', PATCHBAY_SANDBOX: '' }, 'all') }).toEqual(
      unset,
    )
    expect(unset).toMatchObject({ port: 8080, host: '127.0.0.1', logLevel: 'info', sandbox: 'available' })
  })

  it('of the command line are passed over', () => {
    expect(() => readConfig({ PATCHBAY_URL: 'x', PATCHBAY_PROFILE: 'y' }, 'all')).not.toThrow()
  })

  it('with one of a few words are read in whatever case', () => {
    const config = readConfig(
      { PATCHBAY_LOG_LEVEL: 'WARN', PATCHBAY_LOG_FORMAT: 'Human', PATCHBAY_SANDBOX: 'Strict' },
      'all',
    )
    expect(config).toMatchObject({ logLevel: 'warn', logFormat: 'human', sandbox: 'strict' })
  })
})
