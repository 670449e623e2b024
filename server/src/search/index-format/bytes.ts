// Numbers of variable length, seven bits a byte, lowest first. They may have up to 53 bits, so shifting is done by arithmetic.

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  number(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.byte((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** A GUID in its 16 bytes. */
  guid(id: string): void {
    this.#reserve(16)
    this.#bytes.write(id.replaceAll('-', ''), this.#length, 'hex')
    this.#length += 16
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2)
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}

export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  number(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte()
      value += (byte % 128) * factor
      if (byte < 128) return value
    }
  }

  byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw new Error('A search segment ends too early.')
    return byte
  }

  guid(): string {
    const hex = this.#bytes.toString('hex', this.#at, this.#at + 16)
    this.#at += 16
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}
