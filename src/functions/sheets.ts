import * as z from 'zod';
import { declare } from './declare.ts';

function sheet(name: string, doc: string) {
  return {
    name,
    needs: ['page'],
    args: z.array(z.unknown()),
    parameters: ['...'],
    notRun: true,
    doc: `${doc} (not supported by Taskwright).`,
    run() {
      throw new Error(`\`${name}\` needs Google Sheets, which Taskwright does not support.`);
    },
  } as const;
}

const setup = (name: string, doc: string) => declare({ ...sheet(name, doc), phase: 'setup', inRemoteBrowser: true });
const evaluate = (name: string, doc: string) => declare({ ...sheet(name, doc), phase: 'evaluate', reads: ['page'] });

/** HUD's functions for Google Sheets. Tasks that use them can be read, but not run. */
export const sheetFunctions = [
  setup('sheets_from_xlsx', 'Opens a Google sheet created from a spreadsheet file'),
  setup('sheets_from_bytes', 'Opens a Google sheet created from bytes'),
  evaluate('sheet_contains', 'Checks whether a Google sheet contains any of the texts'),
  evaluate('sheets_cell_values', 'Checks the values of cells in a Google sheet'),
];
