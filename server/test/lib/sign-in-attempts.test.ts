import { describe, expect, it } from 'vitest'
import { SignInAttempts } from '../../src/sessions/attempts.ts'

function guessing() {
  let now = 0
  const attempts = new SignInAttempts(() => now)
  const guess = (address = '192.0.2.1', email = 'a@example.com') => attempts.begin(address, email)
  return { attempts, guess, pass: (seconds: number) => (now += seconds * 1000) }
}

describe('attempts to sign in', () => {
  it('wait ever longer after wrong passwords, and a quarter of an hour after ten', () => {
    const { guess, pass } = guessing()
    const waits = []
    for (let count = 0; count < 10; count++) {
      expect(guess()).toBe(0)
      const wait = guess()
      waits.push(wait)
      if (count < 4) {
        // Free ones: the second guess of this round counted too.
        count++
        waits.push(0)
      }
      pass(wait)
    }
    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 900])
    // Then counting begins anew.
    expect([guess(), guess()]).toEqual([0, 0])
  })
  it('count for the pair of e-mail and address, whatever its case; networks of IPv6 as one', () => {
    const { guess } = guessing()
    for (let count = 0; count < 5; count++) guess('2001:db8::1', 'A@example.com')
    expect(guess('2001:db8::2', 'a@EXAMPLE.com')).toBe(1)
    expect(guess('2001:db8:0:1::1')).toBe(0)
    expect(guess('2001:db8::1', 'b@example.com')).toBe(0)
  })
  it('are forgiven by the right password', () => {
    const { attempts, guess } = guessing()
    for (let count = 0; count < 4; count++) guess()
    attempts.forget('192.0.2.1', 'a@example.com')
    expect([guess(), guess(), guess(), guess()]).toEqual([0, 0, 0, 0])
  })
})
