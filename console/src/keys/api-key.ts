import type { Answer } from '../api.ts'

export type ApiKey = Answer<'ApiKeys'>[number]
