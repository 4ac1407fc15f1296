// Runs the kernels of tflm_scatter_nd.cc as an interpreter does: prepare, then invoke, twice.
#include "stubs.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tflite {
TFLMRegistration Register_GATHER();
TFLMRegistration Register_GATHER_ND();
TFLMRegistration Register_SCATTER_ND();
}  // namespace tflite

namespace {

char printed[512];
int temporary = 0;
size_t allocated = 0;
std::vector<TfLiteEvalTensor> inputs;
TfLiteEvalTensor output;

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s (printed: %s)\n", what, printed);
  std::exit(1);
}

void Printed(const char* text) { Check(std::strcmp(printed, text) == 0, text); }

TfLiteTensor* Temporary(const TfLiteEvalTensor& tensor) {
  temporary++;
  return new TfLiteTensor{tensor.type, tensor.dims};
}

alignas(16) char arena[4096];
void* Allocate(TfLiteContext*, size_t bytes) {
  void* const memory = arena + allocated;
  allocated += (bytes + 15) / 16 * 16;
  return allocated > sizeof arena ? nullptr : memory;
}

template <typename T>
TfLiteEvalTensor Of(TfLiteType type, TfLiteIntArray& dims, std::vector<T>& values) {
  TfLiteEvalTensor tensor;
  tensor.data.data = values.data();
  tensor.dims = &dims;
  tensor.type = type;
  return tensor;
}

// Prepares, and invokes twice: the second time everything must come out the same.
TfLiteStatus Run(TFLMRegistration operation, void* params) {
  allocated = 0;
  printed[0] = 0;
  TfLiteContext context{Allocate};
  TfLiteNode node{nullptr, params};
  const TfLiteStatus prepared = operation.prepare(&context, &node);
  Check(temporary == 0, "temporary tensors are left");
  if (prepared != kTfLiteOk) return prepared;
  const TfLiteStatus once = operation.invoke(&context, &node);
  Check(operation.invoke(&context, &node) == once, "another result the second time");
  return once;
}

}  // namespace

void MicroPrintf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(printed, sizeof printed, format, arguments);
  va_end(arguments);
}

namespace tflite {
TfLiteTensor* MicroContext::AllocateTempInputTensor(const TfLiteNode*, int index) {
  return Temporary(inputs.at(index));
}
TfLiteTensor* MicroContext::AllocateTempOutputTensor(const TfLiteNode*, int) {
  return Temporary(output);
}
void MicroContext::DeallocateTempTfLiteTensor(TfLiteTensor* tensor) {
  temporary--;
  delete tensor;
}
MicroContext* GetMicroContext(const TfLiteContext*) {
  static MicroContext context;
  return &context;
}
namespace micro {
TFLMRegistration RegisterOp(void* (*init)(TfLiteContext*, const char*, size_t),
                            TfLiteStatus (*prepare)(TfLiteContext*, TfLiteNode*),
                            TfLiteStatus (*invoke)(TfLiteContext*, TfLiteNode*)) {
  return {init, prepare, invoke};
}
const TfLiteEvalTensor* GetEvalInput(const TfLiteContext*, const TfLiteNode*, int index) {
  return &inputs.at(index);
}
TfLiteEvalTensor* GetEvalOutput(const TfLiteContext*, const TfLiteNode*, int) { return &output; }
}  // namespace micro
}  // namespace tflite

namespace {

template <typename T>
void ScatterNd(TfLiteType type) {
  // TensorFlow's example: rows 0 and 2 of a [4, 2], and row 2 twice, which adds up.
  TfLiteIntArray places_dims{2, {3, 1}}, updates_dims{2, {3, 2}}, shape_dims{1, {2}}, to{2, {4, 2}};
  std::vector<int32_t> places{0, 2, 2}, shape{4, 2};
  std::vector<T> updates{1, 2, 3, 4, 10, 20}, result(8, 99);
  inputs = {Of(kTfLiteInt32, places_dims, places), Of(type, updates_dims, updates),
            Of(kTfLiteInt32, shape_dims, shape)};
  output = Of(type, to, result);
  Check(Run(tflite::Register_SCATTER_ND(), nullptr) == kTfLiteOk, "SCATTER_ND fails");
  Check(result == std::vector<T>({1, 2, 0, 0, 13, 24, 0, 0}), "SCATTER_ND differs");

  places[1] = 4;
  Check(Run(tflite::Register_SCATTER_ND(), nullptr) == kTfLiteError, "SCATTER_ND takes 4 of 4");
  Printed("SCATTER_ND: index out of bounds: entry 1, coordinate 0 is 4, the size is 4");
  updates_dims.data[1] = 3;
  Check(Run(tflite::Register_SCATTER_ND(), nullptr) == kTfLiteError, "SCATTER_ND takes any shape");
  Printed("SCATTER_ND: size mismatch: updates dimension 1 should be 2, found 3");
}

template <typename T>
void Gather(TfLiteType type) {
  TfLiteIntArray from{2, {3, 2}}, places_dims{1, {2}}, to{2, {2, 2}};
  std::vector<T> input{1, 2, 3, 4, 5, 6}, result(4);
  std::vector<int32_t> places{2, 0};
  TfLiteGatherParams params{0, 0};
  inputs = {Of(type, from, input), Of(kTfLiteInt32, places_dims, places)};
  output = Of(type, to, result);
  Check(Run(tflite::Register_GATHER(), &params) == kTfLiteOk, "GATHER fails");
  Check(result == std::vector<T>({5, 6, 1, 2}), "GATHER differs");
  // Along the last axis, counted from the end; rows by batch dimensions.
  std::vector<T> columns(6);
  TfLiteIntArray to_columns{2, {3, 2}};
  params = {-1, 0};
  places = {1, 0};
  output = Of(type, to_columns, columns);
  Check(Run(tflite::Register_GATHER(), &params) == kTfLiteOk, "GATHER of columns fails");
  Check(columns == std::vector<T>({2, 1, 4, 3, 6, 5}), "GATHER of columns differs");
  TfLiteIntArray batch{2, {3, 1}};
  std::vector<int32_t> one_each{1, 0, 1};
  std::vector<T> chosen(3);
  params = {1, 1};
  inputs[1] = Of(kTfLiteInt32, batch, one_each);
  output = Of(type, batch, chosen);
  Check(Run(tflite::Register_GATHER(), &params) == kTfLiteOk, "GATHER of batches fails");
  Check(chosen == std::vector<T>({2, 3, 6}), "GATHER of batches differs");
  one_each[0] = 2;
  Check(Run(tflite::Register_GATHER(), &params) == kTfLiteError, "GATHER takes 2 of 2");
  Printed("GATHER: index out of bounds: entry 0, coordinate 0 is 2, the size is 2");
  // Pairs.
  TfLiteIntArray pairs_dims{2, {2, 2}}, two{1, {2}};
  std::vector<int32_t> pairs{2, 1, 0, 1};
  std::vector<T> cells(2);
  inputs[1] = Of(kTfLiteInt32, pairs_dims, pairs);
  output = Of(type, two, cells);
  Check(Run(tflite::Register_GATHER_ND(), nullptr) == kTfLiteOk, "GATHER_ND fails");
  Check(cells == std::vector<T>({6, 2}), "GATHER_ND differs");
  // In TensorFlow Lite Micro 0, 3 reads the next row.
  pairs[3] = 3;
  Check(Run(tflite::Register_GATHER_ND(), nullptr) == kTfLiteError, "GATHER_ND takes 3 of 2");
  Printed("GATHER_ND: index out of bounds: entry 1, coordinate 1 is 3, the size is 2");
  inputs[0].type = output.type = kTfLiteInt64;
  Check(Run(tflite::Register_GATHER_ND(), nullptr) == kTfLiteError, "GATHER_ND takes int64");
  Printed("GATHER_ND: these types or parameters are not supported");
  params = {2, 1};
  inputs[1] = Of(kTfLiteInt32, batch, one_each);
  Check(Run(tflite::Register_GATHER(), &params) == kTfLiteError, "GATHER takes any batches");
  Printed("GATHER: these types or parameters are not supported");
}

}  // namespace

int main() {
  ScatterNd<int8_t>(kTfLiteInt8);
  ScatterNd<uint8_t>(kTfLiteUInt8);
  ScatterNd<int16_t>(kTfLiteInt16);
  ScatterNd<int32_t>(kTfLiteInt32);
  ScatterNd<float>(kTfLiteFloat32);
  Gather<int8_t>(kTfLiteInt8);
  Gather<uint8_t>(kTfLiteUInt8);
  Gather<uint8_t>(kTfLiteBool);
  Gather<int16_t>(kTfLiteInt16);
  Gather<int32_t>(kTfLiteInt32);
  Gather<float>(kTfLiteFloat32);
  std::puts("the kernels for TensorFlow Lite Micro do what they should");
  return 0;
}
