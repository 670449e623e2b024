import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScriptLog } from '../../src/sandbox/job/script-log.ts'
import { createLearningMasker, createMasker } from '../../src/sandbox/mask/mask.ts'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { makeJob } from './harness.ts'

let pool: SandboxPool
beforeAll(async () => {
  pool = await SandboxPool.create({ size: 1 })
})
afterAll(() => pool[Symbol.asyncDispose]())

const secret = 'pass"word\n&1'
const inputs = { variables: { secret } }

describe('masking', () => {
  it('hides secrets in log, result, session and error, and keeps them in the vault', async () => {
    const script = `const s = variables.secret; console.log('a ' + s, { s }, encodeURIComponent(s))
      session.vars.s = s; session.vault.s = s; return { [s]: ['x' + s + 'y'] }`
    const outcome = await pool.run(makeJob(script, { inputs, secrets: [secret] }))
    expect(outcome).toMatchObject({
      value: { '***': ['x***y'] },
      log: ['a *** {"s":"***"} ***'],
      sessionVars: { s: '***' },
      deferredVault: { workflow: { s: secret } },
    })
    expect(await pool.run(makeJob('throw new Error(variables.secret)', { inputs, secrets: [secret] }))).toMatchObject({
      message: '***',
    })
    const named = await pool.run(
      makeJob('const e = new Error("m"); e.name = variables.secret; throw e', { inputs, secrets: [secret] }),
    )
    expect(JSON.stringify(named)).not.toContain('pass')
  })

  it('hides what was read from the vault or written there in log and error, and not in results', async () => {
    const onCall = async () => ({ token: 'from-the-vault', tries: 3 })
    const script = `const { token } = myVault.get('k'); myVault.set('n', ['into-the-vault'])
      console.log(token, 'into-the-vault'); return token`
    const outcome = await pool.run(makeJob(script, { onCall }))
    expect(outcome).toMatchObject({ value: 'from-the-vault', log: ['*** ***'] })
    const thrown = await pool.run(makeJob("throw new Error('no: ' + myVault.get('k').token)", { onCall }))
    expect(thrown).toMatchObject({ kind: 'threw', message: 'no: ***' })
  })

  it('gives the script itself the real value', async () => {
    expect(await pool.run(makeJob('return variables.secret.length', { inputs, secrets: [secret] }))).toMatchObject({
      value: secret.length,
    })
  })

  it('hides a secret at the place where a log is cut', async () => {
    const limits = { logBytesMax: 1000 }
    const script = `console.log('abcdefghij'.repeat(7000).slice(0, 66530) + 'topsecretvalue')`
    const { log } = await pool.run(makeJob(script, { limits, secrets: ['topsecretvalue', 'abcdefghij'] }))
    expect(log.join()).not.toMatch(/top|abc/)
  })
})

describe('masker', () => {
  it('takes longer secrets first and leaves short ones alone', () => {
    const masker = createMasker(['abc', 'secret', 'secretandmore'])
    expect(masker.text('abc secretandmore secret')).toBe('abc *** ***')
  })

  it('hides numbers and base64, with and without padding', () => {
    const masker = createMasker(['12345678', 'user:password'])
    expect(masker.value([12345678, 1234567, 'Basic dXNlcjpwYXNzd29yZA=='])).toEqual(['***', 1234567, 'Basic ***'])
    expect(masker.text('key=dXNlcjpwYXNzd29yZA, dXNlcjpwYXNzd29yZA==')).toBe('key=***, ***')
  })

  it('removes the beginning of a secret at the end of a cut text', () => {
    expect(createMasker(['topsecret']).cutText('x topsecret tops')).toBe('x *** ')
  })

  it('learns at every step without getting slower, and hides what was learnt last', () => {
    const masker = createLearningMasker(['known-secret'])
    const cpu = process.cpuUsage()
    for (let step = 0; step < 5000; step++)
      masker.conceal([`value-${step}`, ...Array.from({ length: 20 }, (_, index) => `part-${step}-${index}`)])
    const { user, system } = process.cpuUsage(cpu)
    expect(masker.text('known-secret value-4999 part-4999-7 value-4999-more')).toBe('*** *** *** ***-more')
    // It took minutes when all was put in order at each step.
    expect((user + system) / 1000).toBeLessThan(20_000)
  })

  it('learns from a value of very many parts', () => {
    const masker = createLearningMasker([])
    masker.conceal(['hidden-text', Array(400_000).fill(1)])
    expect(masker.text('hidden-text')).toBe('***')
  })

  it('hides a learnt text that contains another as a whole, in each of its forms', () => {
    const masker = createLearningMasker(['known-token', 'more'])
    masker.conceal(['token', 'token-and-more'])
    expect(masker.text(`token-and-more token ${btoa('token-and-more')} known-token`)).toBe('*** *** *** ***')
  })

  it('hides secrets that overlap as one', () => {
    expect(createMasker(['abcdef', 'efghij']).text('-abcdefghij-efghijefghij-')).toBe('-***-******-')
  })

  it('finds what a search for each secret by itself finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 7 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), text, (words, given) => {
        const isHidden = Array.from(given, (_, at) =>
          words.some((one) => [...one].some((_, back) => given.startsWith(one, at - back) && at - back >= 0)),
        )
        const shown = Array.from(given, (letter, at) => (isHidden[at] ? '' : letter)).join('')
        expect(createMasker(words).text(given).replaceAll('*', '')).toBe(shown)
      }),
    )
  })

  it('hides hundreds of texts that all but match in a whole log without being slow', () => {
    const masker = createLearningMasker([])
    const log = createScriptLog(masker, 1_048_576)
    for (let index = 0; index < 400; index++) masker.conceal(`${'a'.repeat(60)}${index}`)
    log.add(Array(18_000).fill('a'.repeat(57)), false)
    log.add([`${'a'.repeat(60)}399 end`], false)
    const cpu = process.cpuUsage()
    expect(log.lines.at(-1)).toBe('*** end')
    const { user, system } = process.cpuUsage(cpu)
    // It took 23 seconds when each line was searched for each text.
    expect((user + system) / 1000).toBeLessThan(10_000)
  })

  it('hides what it is about to forget in the lines before', () => {
    const masker = createLearningMasker([])
    const log = createScriptLog(masker, 1_048_576)
    for (let index = 0; index < 6000; index++) {
      masker.conceal(`stored-value-${index}-`)
      log.add([`got stored-value-${index}-`], false)
    }
    expect(log.lines.filter((line) => line !== 'got ***')).toEqual([])
  })

  it('ends a log of very many lines with a sentence', () => {
    const log = createScriptLog(createLearningMasker([]), 1_048_576)
    log.add(Array(30_000).fill('x'), false)
    expect(log.lines.slice(-2)).toEqual(['x', '(The log is cut off here: it has more than 20000 lines.)'])
  })
})
