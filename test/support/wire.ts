/** The lanes as raw HTTP, as the package offers them to the tests of any Worker. */
export * from '../../src/contract/wire.ts';
