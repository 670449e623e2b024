// Stands in for applications and mail while a run is run again: each call gets what was recorded for it, and nothing leaves the service.

import type { BodyOf, Operations } from '@patchbay/contract'
import type { ConnectionAnswer, Connections } from '../connections/index.ts'
import type { Scope } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'
import type { Json } from '../lib/json.ts'
import {
  type ApplicationCall,
  type ApplicationCalls,
  createApplicationCalls,
  endpointOf,
  hideSecretValues,
} from '../proxy/index.ts'
import { bodyText, mailAddress, mailMethod, type Tape, type TapedCall } from '../runs/index.ts'

export type GivenAnswer = NonNullable<BodyOf<Operations['ReplayStart']>['answers']>[number]

/** A call that was not made as recorded. Bodies are JSON texts. */
export type CallChange = {
  blockId: string
  change: 'added' | 'removed' | 'changed'
  method: string
  url: string
  from?: string | null
  to?: string | null
}

/** Of a call to come: what it is matched by. */
type Asked = { method: string; address: string; body: string | null; urlOf(): Promise<string> }
type Recorded = TapedCall & { blockId: string; itemKey: string | undefined; isUsed: boolean }
/** Who asks: a block, or one of its items. */
type Asking = { blockId: string; itemKey?: string | undefined }

export class RecordedCalls {
  readonly #connections: Pick<Connections, 'addressOf' | 'secretsOf'>
  readonly #calls: Recorded[]
  readonly #given: (GivenAnswer & { isUsed: boolean })[]
  readonly #changes: CallChange[] = []

  constructor(connections: Pick<Connections, 'addressOf' | 'secretsOf'>, tape: Tape, answers: readonly GivenAnswer[]) {
    this.#connections = connections
    this.#calls = tape.blocks.flatMap(({ id, itemKey, calls }) =>
      calls.map((call) => ({ ...call, blockId: id, itemKey, isUsed: false })),
    )
    this.#given = answers.map((answer) => ({ ...answer, isUsed: false }))
  }

  /** Calls that differ, those included that were not made again. */
  get changes(): CallChange[] {
    const removed = this.#calls
      .filter(({ isUsed }) => !isUsed)
      .map(({ blockId, method, url, body }): CallChange => {
        return { blockId, change: 'removed', method, url: hideSecretValues(url), from: body }
      })
    return [...this.#changes, ...removed]
  }

  applicationsFor(asking: Asking): ApplicationCalls {
    return {
      call: (scope, call) => {
        const standIn = createApplicationCalls({
          connections: {
            find: async (_scope, shortName, id = '') => ({
              ...{ id, applicationId: '', shortName, name: shortName, tagText: '' },
              ...{ isAuthenticated: true, isFaulted: false, faultMessage: null },
            }),
            send: () => this.#answerCall(asking, scope, call),
            secretsOf: (of, ids) => this.#connections.secretsOf(of, ids),
          },
        })
        return standIn.call(scope, call)
      },
    }
  }

  async sendEmail(asking: Asking, message: { [name: string]: Json }): Promise<Json> {
    const url = mailAddress(message)
    const asked: Asked = { method: mailMethod, address: url, body: bodyText(message), urlOf: async () => url }
    return JSON.parse((await this.#answer(asking, asked)).body.toString()) as Json
  }

  #answerCall(asking: Asking, scope: Scope, call: ApplicationCall): Promise<ConnectionAnswer> {
    const id = call.regApplicationId ?? ''
    const { requestUrl: path, baseUrl } = call
    return this.#answer(asking, {
      method: call.verb,
      address: `${id} ${baseUrl ?? ''} ${path}`,
      body: bodyText(call.data),
      urlOf: async () => {
        const request = { path, ...(baseUrl === undefined ? {} : { baseUrl }) }
        return (await this.#connections.addressOf(scope, id, request)) ?? endpointOf(call.shortName, path)
      },
    })
  }

  async #answer(asking: Asking, asked: Asked): Promise<ConnectionAnswer> {
    const byAddress = this.#calls.filter((call) => call.method === asked.method && call.address === asked.address)
    if (byAddress.length > 0) return this.#take(asking, byAddress, asked.body)
    const url = hideSecretValues(await asked.urlOf())
    const byUrl = this.#calls.filter((call) => call.method === asked.method && hideSecretValues(call.url) === url)
    if (byUrl.length > 0) return this.#take(asking, byUrl, asked.body)
    this.#changes.push({ blockId: asking.blockId, change: 'added', method: asked.method, url, to: asked.body })
    return this.#takeGiven(asked.method, url)
  }

  /** Of calls to the same address the one with the same body: of its own item first, then of its block, the others' afterwards. */
  #take({ blockId, itemKey }: Asking, alike: readonly Recorded[], body: string | null): ConnectionAnswer {
    const ofBlock = alike.filter((call) => call.blockId === blockId)
    const ofItem = ofBlock.filter((call) => call.itemKey === itemKey)
    const own = ofItem.length > 0 ? ofItem : ofBlock
    const same = [own, alike].map((calls) => calls.filter((call) => call.body === body))
    const isSame = same.some((calls) => calls.length > 0)
    const choices = [...same, own, alike].find((calls) => calls.length > 0) as Recorded[]
    const taken = nextOf(choices)
    if (!isSame) {
      const { method, url } = taken
      this.#changes.push({ blockId, change: 'changed', method, url: hideSecretValues(url), from: taken.body, to: body })
    }
    if (taken.answer) return { ...taken.answer, url: taken.url, pausedMs: 0 }
    throw new AppError('target_unreachable', taken.errorMessage ?? 'There was no answer.')
  }

  #takeGiven(method: string, url: string): ConnectionAnswer {
    const fitting = this.#given.filter(
      (answer) => answer.method.toUpperCase() === method && hideSecretValues(answer.url) === url,
    )
    if (fitting.length === 0) {
      throw new AppError(
        'target_unreachable',
        `The recorded run did not call ${method} ${url}, so the replay has no answer for it. Name one in answers.`,
      )
    }
    const { statusCode = 200, data = null } = nextOf(fitting)
    const headers = { 'content-type': 'application/json' }
    return { statusCode, headers, body: Buffer.from(JSON.stringify(data)), url, pausedMs: 0 }
  }
}

/** In their order, the last one again when there are no more. */
function nextOf<Item extends { isUsed: boolean }>(items: readonly Item[]): Item {
  const next = items.find(({ isUsed }) => !isUsed) ?? (items.at(-1) as Item)
  next.isUsed = true
  return next
}
