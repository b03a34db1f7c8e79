import * as z from 'zod';
import { declare } from './declare.ts';

function sheet(name: string) {
  return {
    name,
    needs: ['page'],
    args: z.array(z.unknown()),
    parameters: ['...'],
    notRun: true,
    run() {
      throw new Error(`\`${name}\` needs Google Sheets, which Taskwright does not support.`);
    },
  } as const;
}

/** HUD's functions for Google Sheets. Tasks that use them can be read, but not run. */
export const sheetFunctions = [
  declare({
    ...sheet('sheets_from_xlsx'),
    phase: 'setup',
    inRemoteBrowser: true,
    doc: 'Opens a Google sheet created from a spreadsheet file (not supported by Taskwright).',
  }),
  declare({
    ...sheet('sheets_from_bytes'),
    phase: 'setup',
    inRemoteBrowser: true,
    doc: 'Opens a Google sheet created from bytes (not supported by Taskwright).',
  }),
  declare({
    ...sheet('sheet_contains'),
    phase: 'evaluate',
    reads: ['page'],
    doc: 'Checks whether a Google sheet contains any of the texts (not supported by Taskwright).',
  }),
  declare({
    ...sheet('sheets_cell_values'),
    phase: 'evaluate',
    reads: ['page'],
    doc: 'Checks the values of cells in a Google sheet (not supported by Taskwright).',
  }),
];
