import type { Body } from '../api.ts'

export type Expectation = Body<'ExpectationsUpdate'>['expectations'][number]
