// Texts of runs and requests, sorted by the segment they belong to.
import type { RunText } from '../../runs/index.ts'
import type { WebhookText } from '../../webhooks/index.ts'
import type { SegmentPlace } from '../store.ts'
import type { IndexText } from './index-work.ts'

type Placed = Map<string, { place: SegmentPlace; texts: IndexText[] }>

export function textsOfRuns(texts: readonly RunText[]): Placed {
  return byPlace(texts, (text) => ({
    place: placeOf(text, text.runId),
    text: {
      document: {
        subjectId: text.runId,
        runNumber: text.runNumber,
        blockId: text.blockId,
        place: text.place,
        ordinal: text.ordinal,
        atMs: text.at.getTime(),
      },
      text: text.text,
      format: text.place === 'result' || text.place === 'log' ? 'json' : 'text',
    },
  }))
}

export function textsOfWebhooks(texts: readonly WebhookText[]): Placed {
  return byPlace(texts, (text) => ({
    place: placeOf(text, text.webhookId),
    text: {
      document: {
        subjectId: text.webhookId,
        runNumber: null,
        blockId: null,
        place: 'webhook',
        ordinal: 0,
        atMs: text.at.getTime(),
      },
      text: text.text,
      format: 'unknown',
    },
  }))
}

function byPlace<Text>(texts: readonly Text[], read: (text: Text) => { place: SegmentPlace; text: IndexText }): Placed {
  const placed: Placed = new Map()
  for (const { place, text } of texts.map(read)) {
    const key = `${place.workflowId} ${place.day}`
    const group = placed.get(key) ?? { place, texts: [] }
    group.texts.push(text)
    placed.set(key, group)
  }
  return placed
}

/** Ids of runs and requests begin with their time in milliseconds, and so do the tables that hold them, day by day. */
function placeOf({ accountId, workflowId }: { accountId: string; workflowId: string }, id: string): SegmentPlace {
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  return { accountId, workflowId, day: new Date(ms).toISOString().slice(0, 10) }
}
