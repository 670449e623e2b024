import { invalid } from '../lib/app-error.ts'
import { isObject, type Json } from '../lib/json.ts'

const depthMax = 50

/**
 * An object as `application/x-www-form-urlencoded`. A list of plain values repeats its name, as forms of web pages do; whatever holds an
 * object is written with brackets: `items[0][price]=7`. Null and empty lists are left out.
 */
export function encodeForm(data: Json): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fieldsOf(data))) {
    const isPlainList = Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)
    if (isPlainList) for (const one of value) append(form, name, one, 0)
    else append(form, name, value, 0)
  }
  return form.toString()
}

export function fieldsOf(data: Json): { [name: string]: Json } {
  if (isObject(data)) return data
  throw invalid('The field data must be an object to be sent as a form.')
}

function append(form: URLSearchParams, name: string, value: Json, depth: number): void {
  if (value === null) return
  if (typeof value !== 'object') {
    form.append(name, String(value))
    return
  }
  if (depth === depthMax) throw invalid('The data is nested too deeply to be sent as a form.')
  // The keys of an array are its indices.
  for (const [key, inner] of Object.entries(value)) append(form, `${name}[${key}]`, inner, depth + 1)
}
