import { writeFile } from 'node:fs/promises';
import { asyncApiDocument, asyncApiPath } from '../contracts/asyncapi.ts';
import { contractText } from '../contracts/contract-text.ts';
import { openApiDocument, openApiPath } from '../contracts/openapi.ts';
import { configurationPage, configurationPagePath } from './configuration-page.ts';

await writeFile(configurationPagePath, await configurationPage());
await writeFile(openApiPath, await contractText(openApiPath, openApiDocument()));
await writeFile(asyncApiPath, await contractText(asyncApiPath, asyncApiDocument()));
